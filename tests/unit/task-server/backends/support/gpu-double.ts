import { parentPort, workerData } from 'node:worker_threads';
import { hostDevice } from '../../../../../task-server/backends/device-host.ts';
import { hostPort } from '../../../../../task-server/backends/host-port.ts';
import { KernelRegistry } from '../../../../../task-server/engine/kernel-registry.ts';
import { testKernels } from './test-kernels.ts';

// Stands in for a process with tfjs-node-gpu: says what that would say about its card, and computes with test kernels.
const { port, setup } = hostPort(parentPort, workerData);
port.send({ kind: 'device', hasGpu: process.env['CUDA_VISIBLE_DEVICES'] !== process.env['DOUBLE_BROKEN_CARD'] });
hostDevice(port, { ...setup, probe: false }, new KernelRegistry(testKernels));
