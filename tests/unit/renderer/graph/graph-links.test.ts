import { describe, expect, it, vi } from 'vitest';

// The address of the window is read as soon as the router is loaded.
vi.mock('../../../../renderer/stores/router.svelte.ts', () => ({
  href: (...parts: string[]) => `#/${parts.map(encodeURIComponent).join('/')}`,
}));
const { graphHref, readGraphPlace } = await import('../../../../renderer/stores/graph-links.ts');

const read = (address: string) => {
  const [path = '', query = ''] = address.slice(2).split('?');
  return readGraphPlace(path.split('/').slice(1).map(decodeURIComponent), new URLSearchParams(query));
};

describe('the address of a graph', () => {
  it.each([
    { of: { program: 'ps-workers' } },
    { of: { program: 'own/my graph' }, client: '/job:worker/replica:0/task:1' },
    { of: { run: '2026-11-30' }, node: 'train/mul:1 & more' },
    { of: { program: 'run' } },
  ])('leads back to %j', (place) => {
    expect(read(graphHref(place))).toEqual(place);
  });

  it('names no graph without a program', () => {
    expect(readGraphPlace([], new URLSearchParams())).toBeUndefined();
  });
});
