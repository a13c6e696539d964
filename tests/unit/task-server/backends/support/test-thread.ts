import { parentPort, workerData } from 'node:worker_threads';
import { hostDevice } from '../../../../../task-server/backends/device-host.ts';
import { hostPort } from '../../../../../task-server/backends/host-port.ts';
import { KernelRegistry } from '../../../../../task-server/engine/kernel-registry.ts';
import { testKernels } from './test-kernels.ts';

const { port, setup } = hostPort(parentPort, workerData);
hostDevice(port, setup, new KernelRegistry(testKernels));
