import { createSubscriber } from 'svelte/reactivity';

/** Colours of the page for a canvas, which knows no custom properties. */
export interface PlotTheme {
  /** A CSS colour such as `var(--line)` as rgb. */
  color(css: string): string;
  readonly font: string;
}

/** A colour of the page as it is in the light theme, for what is put on paper. */
export function lightColor(css: string): string {
  const paper = document.createElement('div');
  paper.dataset['theme'] = 'light';
  document.body.append(paper);
  const color = computedColor(paper, css);
  paper.remove();
  return color;
}

function computedColor(element: HTMLElement, css: string): string {
  const probe = document.createElement('i');
  probe.style.color = css;
  // Forced colours paint everything alike, but a canvas has to tell its colours apart.
  probe.style.setProperty('forced-color-adjust', 'none');
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Reads the colours that hold in an element now; what reads it in an effect runs again when the theme changes. */
export function createThemeReader(): (element: HTMLElement) => PlotTheme {
  const subscribe = createSubscriber((update) => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', update);
    const observer = new MutationObserver(update);
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', update);
      observer.disconnect();
    };
  });
  return (element) => {
    subscribe();
    return {
      color: (css) => computedColor(element, css),
      font: `11px ${getComputedStyle(element).fontFamily}`,
    };
  };
}
