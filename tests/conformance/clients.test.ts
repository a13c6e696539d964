import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstDifference } from '../support/cluster-compare.ts';
import { type ClusterKind, clusterKinds, judge } from '../support/cluster-kinds.ts';
import { python, withTensorFlow } from '../support/python.ts';
import { type CaseRun, pythonCaseNames, runPythonCases } from '../support/python-cases.ts';
import { runTypeScriptCases, typeScriptCases } from './typescript/index.ts';

const names = { Python: pythonCaseNames(), TypeScript: Object.keys(typeScriptCases) } as const;
type Language = keyof typeof names;
const pairs = (Object.keys(names) as Language[]).flatMap((language) => clusterKinds.map((kind) => [language, kind] as const));

/** A program may first have to wait for all those before it. */
const LIMIT_MS = 300_000;

describe.skipIf(python === undefined)(withTensorFlow('programs of clients'), () => {
  const runs = new Map<string, CaseRun>();
  const outcomeOf = async (language: Language, kind: ClusterKind, name: string) => {
    const outcome = await runs.get(`${language} on ${kind}`)?.outcome(name);
    if (!outcome) throw new Error(`No run of ${language} on ${kind}`);
    expect(outcome.failure).toBeUndefined();
    return outcome;
  };

  // All kinds at once, as most of the time goes by in waiting; one language after the other, as tensors are large.
  beforeAll(() => {
    for (const kind of clusterKinds) {
      const first = runPythonCases(kind);
      runs.set(`Python on ${kind}`, first);
      runs.set(`TypeScript on ${kind}`, runTypeScriptCases(kind, first.finished));
    }
  });
  afterAll(async () => {
    await Promise.all([...runs.values()].map((each) => each.stop()));
  }, LIMIT_MS);

  it('the TypeScript programs are those of Python', () => {
    expect(names.TypeScript.filter((name) => !names.Python.includes(name))).toEqual([]);
  });

  describe.each(pairs)('%s on %s', (language, kind) => {
    it.each(names[language])('%s', { timeout: LIMIT_MS }, async (name) => {
      const { result } = await outcomeOf(language, kind, name);
      const expected = await outcomeOf('Python', judge, name);
      expect(firstDifference(result, expected.result, expected.tolerance ?? 0)).toBeUndefined();
    });
  });
});
