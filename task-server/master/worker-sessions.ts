import { create } from '@bufbuild/protobuf';
import type { ConfigProto } from '#proto/generated/tensorflow/config_pb.ts';
import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import {
  type CreateWorkerSessionRequest,
  CreateWorkerSessionRequestSchema,
  DeleteWorkerSessionRequestSchema,
} from '#proto/generated/tensorflow/worker_pb.ts';
import { parseDeviceName } from '#proto/wire/device-name.ts';
import { StatusError, toStatusError } from '#proto/wire/status.ts';
import type { MasterEnv } from './master-env.ts';

/** A task that is gone or hangs must not keep a session from closing. */
const DELETE_TIMEOUT_MS = 10_000;

/** What all tasks of a session are told about it. */
export interface WorkerSessionOptions {
  readonly handle: string;
  readonly tasks: readonly string[];
  readonly devices: readonly DeviceAttributes[];
  readonly config: ConfigProto | undefined;
}

/** Makes the session known to all its tasks; if one fails, or the signal ends the wait, to none. */
export async function createWorkerSessions(env: MasterEnv, options: WorkerSessionOptions, signal?: AbortSignal): Promise<void> {
  const callOptions = signal ? { signal } : {};
  const calls = options.tasks.map(async (task) =>
    env.workers.worker(task)?.createWorkerSession(createRequest(env, task, options), callOptions),
  );
  try {
    await Promise.all(calls);
  } catch (error) {
    void Promise.allSettled(calls).then(() => deleteWorkerSessions(env, options));
    throw signal?.reason instanceof StatusError ? signal.reason : error;
  }
}

/** Never fails and never waits for long: tasks that do not answer are logged. */
export async function deleteWorkerSessions(
  env: MasterEnv,
  { handle, tasks }: Pick<WorkerSessionOptions, 'handle' | 'tasks'>,
): Promise<void> {
  const request = create(DeleteWorkerSessionRequestSchema, { sessionHandle: handle });
  await Promise.all(
    tasks.map(async (task) => {
      try {
        await env.workers.worker(task)?.deleteWorkerSession(request, { timeoutMs: DELETE_TIMEOUT_MS });
      } catch (error) {
        env.log(`Session ${handle} could not be deleted on ${task}: ${toStatusError(error).message}`);
      }
    }),
  );
}

function createRequest(env: MasterEnv, task: string, { handle, devices, config }: WorkerSessionOptions): CreateWorkerSessionRequest {
  const spec = parseDeviceName(task);
  const shareDevices = config?.shareClusterDevicesInSession || config?.experimental?.shareClusterDevicesInSession;
  return create(CreateWorkerSessionRequestSchema, {
    sessionHandle: handle,
    serverDef: { protocol: 'grpc', jobName: spec?.job ?? '', taskIndex: spec?.task ?? 0 },
    isolateSessionState: config?.isolateSessionState ?? false,
    masterTask: env.task,
    masterIncarnation: BigInt.asIntN(64, env.devices[0]?.incarnation ?? 0n),
    clusterDeviceAttributes: shareDevices ? [...devices] : [],
  });
}
