import { describe } from 'vitest';
import { installedBackends } from '../../../../task-server/backends/backends.ts';
import { onnxruntime } from '../../../../task-server/backends/onnxruntime.ts';
import { backendSuite } from './support/backend-suite.ts';

const isInstalled = installedBackends([onnxruntime.name], { cores: 2 }).length > 0;

describe.skipIf(!isInstalled)('the optional package', () => backendSuite(onnxruntime));
