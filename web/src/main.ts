// Starts the app that the page names. Other apps have their own entry here.
import { GraphView, showError } from "./graph-view";
import { Model } from "./model";

async function startGraph(host: HTMLElement): Promise<void> {
  const model = await Model.read();
  const view = new GraphView(model, host);
  (window as any).cliquepool = view;
  await new Promise<void>((ready) => {
    if (document.readyState !== "loading") ready();
    else document.addEventListener("DOMContentLoaded", () => ready(), { once: true });
  });
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted, 0)));
  performance.mark("first-picture");
  await model.readRest(() => view.arrived());
  document.documentElement.dataset.ready = "true";
}

const APPS: Record<string, (host: HTMLElement) => Promise<void>> = { graph: startGraph };

const host = document.getElementById("app")!;
const app = APPS[document.documentElement.dataset.app ?? ""];
if (app) app(host).catch((error: unknown) => showError(host, `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
else showError(host, "This page names no app that its script has.");
