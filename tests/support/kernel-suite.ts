import { describe, expect, it } from 'vitest';
import type { DType } from '#proto/wire/dtype.ts';
import { StatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { PureCall } from '../../task-server/engine/device.ts';
import { attrsOf, dtypeOf, type KernelCase, kernelFamilies, type Tolerance, tensorOf, titleOf } from './kernel-cases.ts';
import { difference } from './tensor-difference.ts';

/** Whatever runs pure kernels: a `Computer`, or a table of specs called directly. */
export interface KernelRunner {
  readonly backend: string;
  run(call: PureCall): readonly Tensor[] | Promise<readonly Tensor[]>;
}

export interface SuiteOptions {
  /** Fixture files to run; default: all. */
  readonly families?: readonly string[];
  /** Further narrowing, such as to the ops that a backend brings itself. */
  readonly includes?: (op: string, dtype: DType) => boolean;
  /** For backends with coarser arithmetic: what replaces an op's tolerance, by `op` or `op dtype`. */
  readonly tolerance?: Readonly<Record<string, Tolerance>>;
}

/** How a runner did on all cases of one op and one type; the rows of the coverage table in docs. */
export interface Coverage {
  readonly op: string;
  readonly dtype: DType;
  readonly backend: string;
  readonly cases: number;
  /** One line for each case that differs from TensorFlow. */
  readonly failures: readonly string[];
}

interface Group {
  readonly op: string;
  readonly dtype: DType;
  readonly tolerance: Tolerance;
  readonly cases: KernelCase[];
}

/** Declares one test for each op and type: the runner answers every recorded case as genuine TensorFlow did. */
export function kernelSuite(runner: KernelRunner, options: SuiteOptions = {}): void {
  const all = groups(options);
  for (const op of new Set(all.map((group) => group.op))) {
    describe(`${op} on ${runner.backend}`, () => {
      for (const group of all.filter((each) => each.op === op)) {
        it(`${group.dtype}: ${group.cases.length} cases`, async () => {
          expect(await failuresOf(runner, group)).toEqual([]);
        });
      }
    });
  }
}

/** The same cases as data: one row for each op and type. */
export async function kernelCoverage(runner: KernelRunner, options: SuiteOptions = {}): Promise<Coverage[]> {
  const rows: Coverage[] = [];
  for (const group of groups(options)) {
    const { op, dtype, cases } = group;
    rows.push({ op, dtype, backend: runner.backend, cases: cases.length, failures: await failuresOf(runner, group) });
  }
  return rows;
}

function groups({ families = [], includes = () => true, tolerance = {} }: SuiteOptions): Group[] {
  const found = new Map<string, Group>();
  for (const family of kernelFamilies(...families)) {
    const tolerances = { ...family.tolerance, ...tolerance };
    for (const each of family.cases) {
      const { op } = each;
      const dtype = dtypeOf(each);
      if (!includes(op, dtype)) continue;
      const key = `${op} ${dtype}`;
      const group = found.get(key) ?? { op, dtype, tolerance: tolerances[key] ?? tolerances[op] ?? {}, cases: [] };
      group.cases.push(each);
      found.set(key, group);
    }
  }
  return [...found.values()];
}

async function failuresOf(runner: KernelRunner, { cases, tolerance }: Group): Promise<string[]> {
  const failures: string[] = [];
  for (const each of cases) {
    const failure = await failureOf(runner, each, tolerance);
    if (failure !== undefined) failures.push(`${titleOf(each)}: ${failure}`);
  }
  return failures;
}

/** How the runner's answer differs from the recorded one; undefined when it does not. */
async function failureOf(runner: KernelRunner, each: KernelCase, tolerance: Tolerance): Promise<string | undefined> {
  const call = { op: each.op, attrs: attrsOf(each), inputs: each.inputs.map(tensorOf), node: each.op };
  let outputs: readonly Tensor[];
  try {
    outputs = await runner.run(call);
  } catch (error) {
    return wrongError(error, each);
  }
  if (each.error) return `gave a result instead of "${each.error.message}"`;
  const expected = (each.outputs ?? []).map(tensorOf);
  if (expected.length !== outputs.length) return `${outputs.length} outputs instead of ${expected.length}`;
  for (const [index, tensor] of expected.entries()) {
    const differs = difference(outputs[index] as Tensor, tensor, tolerance);
    if (differs !== undefined) return `output ${index}: ${differs}`;
  }
  return undefined;
}

function wrongError(error: unknown, { error: expected }: KernelCase): string | undefined {
  if (!(error instanceof StatusError)) return `threw ${error instanceof Error ? error.stack : error}`;
  if (!expected) return `failed with ${error.codeName}: ${error.message}`;
  if (error.code === expected.code && error.message === expected.message) return undefined;
  return `failed with ${error.code} "${error.message}" instead of ${expected.code} "${expected.message}"`;
}
