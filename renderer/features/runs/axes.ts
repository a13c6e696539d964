/** Which names share a plot: by name, the key of its axis. A name that is not here has an axis of its own, with its name as key. */
export type Axes = Readonly<Record<string, string>>;

export const axisOf = (axes: Axes, name: string): string => axes[name] ?? name;

/** Puts names on the axis with that key. */
export function shareAxis(axes: Axes, names: readonly string[], axis: string): Axes {
  return { ...axes, ...Object.fromEntries(names.map((name) => [name, axis])) };
}

/** Gives a name an axis that no other one is on. */
export function ownAxis(axes: Axes, name: string): Axes {
  const { [name]: _, ...others } = axes;
  // Its name may be the key of an axis that it has left to others.
  return Object.values(others).includes(name) ? { ...others, [name]: `${name} alone` } : others;
}

/** All names on the axis of the first. */
export function oneAxis(names: readonly string[]): Axes {
  return shareAxis({}, names, names[0] ?? '');
}

export type Grouping = 'byName' | 'together' | 'arranged';

export function groupingOf(axes: Axes, names: readonly string[]): Grouping {
  const used = new Set(names.map((name) => axisOf(axes, name)));
  if (used.size === names.length) return 'byName';
  return used.size === 1 ? 'together' : 'arranged';
}
