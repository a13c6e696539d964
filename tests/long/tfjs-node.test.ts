import { describe } from 'vitest';
import { installedBackends } from '../../task-server/backends/backends.ts';
import { tfjsNode } from '../../task-server/backends/tfjs-node.ts';
import { backendSuite } from '../unit/task-server/backends/support/backend-suite.ts';

const isInstalled = installedBackends([tfjsNode.name], { cores: 2 }).length > 0;

describe.skipIf(!isInstalled)('[needs tfjs-node] the optional package', () => backendSuite(tfjsNode));
