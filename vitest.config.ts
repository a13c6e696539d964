import { defineConfig } from 'vitest/config';

/** Tiers by folder; `scripts/test.mjs` runs them in the order fast to slow. */
const tiers = {
  unit: { timeout: 10_000 },
  integration: { timeout: 60_000 },
  conformance: { timeout: 120_000 },
  lab: { timeout: 120_000 },
  e2e: { timeout: 120_000 },
  long: { timeout: 900_000 },
} as const;

export default defineConfig({
  test: {
    projects: Object.entries(tiers).map(([name, { timeout }]) => ({
      test: {
        name,
        include: [`tests/${name}/**/*.test.ts`],
        testTimeout: timeout,
        hookTimeout: timeout,
        pool: 'forks' as const,
        // Machines are looked for only on networks that a test has made itself.
        env: name === 'lab' ? {} : { LANFLOW_DISCOVERY: 'off' },
        globalSetup: name === 'lab' ? ['tests/lab/support/packages.ts'] : [],
      },
    })),
  },
});
