// Light or dark: as the system says, until the reader chooses.
import { dark, light, type Theme } from "./colours";

const query = window.matchMedia("(prefers-color-scheme: dark)");

export class Themes {
  private chosen: boolean | null = null;

  constructor(readonly changed: () => void) {
    query.addEventListener("change", () => this.apply());
    this.apply();
  }
  get current(): Theme {
    return (this.chosen ?? query.matches) ? dark : light;
  }
  toggle(): void {
    this.chosen = !this.current.dark;
    this.apply();
  }
  private apply(): void {
    document.documentElement.dataset.theme = this.current.dark ? "dark" : "light";
    this.changed();
  }
}
