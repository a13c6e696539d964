import { tfjsCpu } from '../../../../task-server/backends/tfjs-cpu.ts';
import { backendSuite } from './support/backend-suite.ts';

backendSuite(tfjsCpu);
