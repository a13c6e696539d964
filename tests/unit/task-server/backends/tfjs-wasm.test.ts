import { tfjsWasm } from '../../../../task-server/backends/tfjs-wasm.ts';
import { backendSuite } from './support/backend-suite.ts';

backendSuite(tfjsWasm);
