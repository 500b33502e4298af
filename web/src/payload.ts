// Reads the parts of a page that cliquepool.view.payload.pack wrote.

export interface Part {
  header: any;
  arrays: Map<string, Uint8Array>;
}

function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as any).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function unpack(deflated: Uint8Array): Promise<Part> {
  const bytes = await inflate(deflated);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const arrays = new Map<string, Uint8Array>();
  let begin = 4 + length;
  for (const [name, size] of header.arrays) {
    arrays.set(name, bytes.subarray(begin, begin + size));
    begin += size;
  }
  return { header, arrays };
}

// Reads a part of this page; null where the page has none of this name.
export async function readPart(name: string): Promise<Part | null> {
  const element = document.getElementById(`part-${name}`);
  if (!element) return null;
  const part = await unpack(fromBase64(element.textContent ?? ""));
  element.remove(); // megabytes of text that nobody reads again
  return part;
}

// Decodes `count` integers, or as many as there are.
export function varints(bytes: Uint8Array | undefined, count?: number): Int32Array {
  if (!bytes) return new Int32Array(0);
  const values = new Int32Array(count ?? bytes.length);
  let index = 0;
  for (let i = 0; i < bytes.length; ) {
    let byte = bytes[i++];
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[i++];
      value |= (byte & 127) << shift;
    }
    values[index++] = value;
  }
  return index === values.length ? values : values.slice(0, index);
}

// The inverse of first_uses: 0 is a new group.
export function groups(encoded: Int32Array): Int32Array {
  let next = 0;
  return encoded.map((back) => (back === 0 ? next++ : next - back));
}

// The inverse of steps.
export function sums(encoded: Int32Array): Float64Array {
  let value = 0;
  return Float64Array.from(encoded, (step) => (value += step % 2 ? -(step + 1) / 2 : step / 2));
}

export interface Lists {
  offsets: Int32Array;
  members: Int32Array;
}

export function offsetsOf(sizes: Int32Array): Int32Array {
  const offsets = new Int32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) offsets[i + 1] = offsets[i] + sizes[i];
  return offsets;
}

// The inverse of member_steps.
export function lists(sizes: Int32Array, steps: Int32Array): Lists {
  const offsets = offsetsOf(sizes);
  const members = new Int32Array(steps.length);
  for (let list = 0; list < sizes.length; list++) {
    let value = -1;
    for (let i = offsets[list]; i < offsets[list + 1]; i++) {
      value = i === offsets[list] ? steps[i] : value + steps[i] + 1;
      members[i] = value;
    }
  }
  return { offsets, members };
}

// The inverse of half_edges: both directions of every edge.
export function adjacency(degrees: Int32Array, steps: Int32Array): Lists {
  const count = degrees.length;
  const targets = new Int32Array(steps.length);
  const sizes = degrees.slice();
  for (let v = 0, i = 0; v < count; v++) {
    let target = v;
    for (let end = i + degrees[v]; i < end; i++) {
      target += steps[i] + 1;
      targets[i] = target;
      sizes[target]++;
    }
  }
  const offsets = offsetsOf(sizes);
  const members = new Int32Array(2 * steps.length);
  const next = offsets.slice(0, count);
  for (let v = 0, i = 0; v < count; v++) {
    for (let end = i + degrees[v]; i < end; i++) {
      members[next[v]++] = targets[i];
      members[next[targets[i]]++] = v;
    }
  }
  return { offsets, members };
}

// The lists that each of `count` members is in, ascending.
export function transpose(of: Lists, count: number): Lists {
  const sizes = new Int32Array(count);
  for (const member of of.members) sizes[member]++;
  const offsets = offsetsOf(sizes);
  const next = offsets.slice(0, count);
  const members = new Int32Array(of.members.length);
  for (let list = 0; list + 1 < of.offsets.length; list++) {
    for (let i = of.offsets[list]; i < of.offsets[list + 1]; i++) members[next[of.members[i]]++] = list;
  }
  return { offsets, members };
}

// The members of each group, ascending.
export function byGroup(group: Int32Array, count: number): Lists {
  const each = { offsets: Int32Array.from({ length: group.length + 1 }, (_, i) => i), members: group };
  return transpose(each, count);
}

export function row(of: Lists, index: number): Int32Array {
  return of.members.subarray(of.offsets[index], of.offsets[index + 1]);
}
