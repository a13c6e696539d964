/** What CSS colours come to for an element now, in a form that a canvas understands. */
export function resolveColours<K extends string>(host: HTMLElement, colours: Readonly<Record<K, string>>): Record<K, string> {
  const probe = document.createElement('i');
  probe.hidden = true;
  // Forced colours paint everything alike, but a canvas has to tell its colours apart.
  probe.style.setProperty('forced-color-adjust', 'none');
  host.append(probe);
  const entries = Object.entries<string>(colours).map(([key, colour]) => {
    probe.style.color = colour;
    return [key, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(entries) as Record<K, string>;
}

/** Calls back whenever the theme may have changed, until the returned function is called. */
export function watchTheme(changed: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', changed);
  };
}

/** A canvas of that size in CSS pixels, sharp on any screen. Undefined where the browser has no 2D canvas. */
export function sizedContext(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | undefined {
  const ratio = devicePixelRatio;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext('2d', { alpha: true });
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context ?? undefined;
}
