import { describe } from 'vitest';
import { installedBackends } from '../../../../task-server/backends/backends.ts';
import { tfjsNode } from '../../../../task-server/backends/tfjs-node.ts';
import { backendSuite } from './support/backend-suite.ts';

const isInstalled = installedBackends([tfjsNode.name], { cores: 2 }).length > 0;

describe.skipIf(!isInstalled)('the optional package', () => backendSuite(tfjsNode));
