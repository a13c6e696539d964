import { execFile } from 'node:child_process';

const LEAST_MAJOR = 20;
const LIMIT_MS = 5000;

/** Why a Node cannot run the core, in one sentence; empty when it can. */
export function nodeProblem(node: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(node, ['--version'], { timeout: LIMIT_MS }, (error, stdout) => {
      const [, major] = /^v(\d+)\./.exec(stdout) ?? [];
      const wanted = `give the path of a Node ${LEAST_MAJOR} or newer as the option 'node'`;
      if (error || major === undefined) resolve(`'${node}' is no Node that runs here: ${wanted}`);
      else resolve(Number(major) >= LEAST_MAJOR ? '' : `'${node}' is Node ${stdout.trim()}: ${wanted}`);
    });
  });
}
