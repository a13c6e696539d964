/** Every test of a report of vitest, as `{ path, passed }`: titles from the outermost in. Skipped ones are left out. */
export function testsOf(report) {
  return report.testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ ancestorTitles, title, status }) => ({ path: [...ancestorTitles, title], passed: status === 'passed' })),
  );
}

/** Client programs that ran: language, kind of cluster, name. */
export function programRuns(tests) {
  return tests.flatMap(({ path, passed }) => {
    const [, language, kind] = /^(Python|TypeScript) on (.+)$/.exec(path.at(-2) ?? '') ?? [];
    return language ? [{ language, kind, name: path.at(-1), passed }] : [];
  });
}

/** Ours in the same memory layout whatever runs it; the suite names them by who asked. */
const ownBackends = new Set(['own', 'plain', 'a device thread']);

/** Recorded calls of kernels: op, dtype (absent where the suite does not tell types apart), backend. */
export function kernelRuns(tests) {
  return tests.flatMap(({ path, passed }) => {
    const [, op, runner] = /^([A-Z]\w*) on (.+)$/.exec(path.at(-2) ?? '') ?? [];
    const [, dtype] = /^(\w+): \d+ cases?$/.exec(path.at(-1)) ?? [];
    if (op && dtype) return [{ op, dtype, backend: ownBackends.has(runner) ? 'own' : runner, passed }];
    const [, backend] = /^(\S+) agrees with TensorFlow$/.exec(path.at(-2) ?? '') ?? [];
    return backend ? [{ op: path.at(-1), backend, passed }] : [];
  });
}
