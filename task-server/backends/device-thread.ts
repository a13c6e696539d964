import { parentPort, workerData } from 'node:worker_threads';
import { KernelRegistry } from '../engine/kernel-registry.ts';
import { kernelSpecs } from '../kernels/index.ts';
import { hostDevice } from './device-host.ts';
import { hostPort } from './host-port.ts';

// The program of a device thread, or of a device process when it was not started as a thread.
const { port, setup } = hostPort(parentPort, workerData);
hostDevice(port, setup, new KernelRegistry(kernelSpecs));
