/** Where the window is, as the part of the address behind `#`: it survives a reload and the browser's Back works. */
export class Router {
  path = $state.raw(readPath());
  /** The path's parts: `['runs', '42']` for `#/runs/42`. */
  readonly parts: readonly string[] = $derived((this.path.split('?')[0] ?? '').split('/').filter(Boolean).map(decodeURIComponent));
  /** What is behind the `?` of the address. */
  readonly query: URLSearchParams = $derived(new URLSearchParams(this.path.split('?')[1] ?? ''));

  constructor() {
    addEventListener('hashchange', () => {
      this.path = readPath();
    });
  }

  readonly go = (...parts: readonly string[]): void => {
    location.hash = href(...parts);
  };
}

/** The address of a screen for links. */
export function href(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}

function readPath(): string {
  return location.hash.replace(/^#\/?/, '');
}
