import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('../../../../renderer/styles/tokens.css', import.meta.url), 'utf8');
const colours = [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name = '', light = '', dark = '']) => ({
  name,
  light,
  dark,
}));
const surfaces = colours.filter(({ name }) => ['bg', 'panel', 'sunken', 'hover', 'accent-soft', 'raised'].includes(name));
const inks = colours.filter(({ name }) => /^(text|muted|faint|accent|ok|warn|bad|device-\d)$/.test(name));

/** Of WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(['light', 'dark'] as const)('the colours of the %s theme', (theme) => {
  it('can be read as text on every surface', () => {
    expect([surfaces.length, inks.length]).toEqual([6, 17]);
    const poor = surfaces.flatMap((surface) =>
      inks.filter((ink) => contrast(ink[theme], surface[theme]) < 4.5).map((ink) => `${ink.name} on ${surface.name}`),
    );
    expect(poor).toEqual([]);
  });
});
