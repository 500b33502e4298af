// What the tests in web/test import.
export * from "./payload";
export * from "./hierarchy";
export * from "./items";
export * from "./state";
export * from "./surface";
