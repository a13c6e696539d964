import { expect, it } from 'vitest';
import { emptyForm, isRunForm, proposeSteps, requestOf } from '../../../../renderer/stores/run-form.ts';

const graph = { name: 'own/net', kind: 'graph' } as const;
const code = { name: 'ps-workers', kind: 'sample' } as const;

it('asks for nothing that the program does by itself', () => {
  expect(requestOf(code, emptyForm)).toEqual({ program: 'ps-workers' });
});

it('asks for what was chosen', () => {
  const form = { ...emptyForm, cluster: 'c1', interval: 0, watch: ['w[3]'], traceEvery: 5 };
  expect(requestOf(code, form)).toEqual({ program: 'ps-workers', cluster: 'c1', plan: { interval: 0, watch: ['w[3]'], traceEvery: 5 } });
});

it('says what a step is for graphs only', () => {
  const form = { ...emptyForm, feeds: { x: '1' }, fetches: ['y'], targets: ['train'], initialize: ['init'], steps: 7 };
  expect(requestOf(code, form)).toEqual({ program: 'ps-workers' });
  expect(requestOf(graph, form).plan).toEqual({ feeds: { x: '1' }, fetches: ['y'], targets: ['train'], initialize: ['init'], steps: 7 });
  expect(requestOf(graph, emptyForm).plan).toEqual({ steps: 0 });
});

it('proposes what the graph asks for, until the user has said something', () => {
  const placeholder = (tensor: string, op = 'Placeholder') => ({ tensor, op, type: 'float[]' });
  const graphParts = { placeholders: [placeholder('x'), placeholder('rate', 'PlaceholderWithDefault')] };
  expect(proposeSteps(emptyForm, graphParts, ['init'])).toEqual({ ...emptyForm, initialize: ['init'], feeds: { x: '' } });
  const said = { ...emptyForm, fetches: ['y'] };
  expect(proposeSteps(said, graphParts, ['init'])).toBe(said);
});

it('knows a form that was stored, and believes no other', () => {
  expect(isRunForm(JSON.parse(JSON.stringify({ ...emptyForm, watch: ['w'], feeds: { x: '1' } })))).toBe(true);
  for (const wrong of [null, 'w', {}, { ...emptyForm, steps: -1 }, { ...emptyForm, watch: 'w' }, { ...emptyForm, feeds: { x: 1 } }])
    expect(isRunForm(wrong)).toBe(false);
});
