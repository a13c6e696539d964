/** What every client program needs. */
const always = /./;
/** Programs whose tensors cross from task to task. */
const transfers = /^R(08|13|15|19|25|29|30|33|37|46|59)|^T0|every type|tutorial: (regression over|variables)/;

/** RPCs of the two services, and the client programs that cannot come to their result without them. */
export const rpcs = [
  { service: 'Master', name: 'CreateSession', programs: always },
  { service: 'Master', name: 'ExtendSession', programs: /^a graph that grows|^R06|^every type/ },
  { service: 'Master', name: 'RunStep', programs: always },
  { service: 'Master', name: 'CloseSession', programs: /^R(01|06|08|39)/ },
  { service: 'Master', name: 'ListDevices', programs: /^R(01|04|19)/ },
  { service: 'Master', name: 'Reset', programs: /^R41/ },
  { service: 'Master', name: 'PartialRunSetup' },
  { service: 'Master', name: 'MakeCallable' },
  { service: 'Master', name: 'RunCallable' },
  { service: 'Master', name: 'ReleaseCallable' },
  { service: 'Worker', name: 'GetStatus', programs: always },
  { service: 'Worker', name: 'CreateWorkerSession', programs: always },
  { service: 'Worker', name: 'DeleteWorkerSession', programs: /^R(01|08|39)/ },
  { service: 'Worker', name: 'RegisterGraph', programs: transfers },
  { service: 'Worker', name: 'RunGraph', programs: transfers },
  { service: 'Worker', name: 'CleanupGraph', programs: transfers },
  { service: 'Worker', name: 'CleanupAll', programs: /^R41/ },
  { service: 'Worker', name: 'RecvTensor', programs: transfers },
  { service: 'Worker', name: 'Logging', programs: /^T01/ },
  { service: 'Worker', name: 'DeregisterGraph', note: 'served; masters never send it to a session' },
  { service: 'Worker', name: 'MarkRecvFinished', note: 'served; sent only to senders that ask for it' },
  { service: 'Worker', name: 'RecvBuf' },
  { service: 'Worker', name: 'Tracing', note: 'UNIMPLEMENTED, as in TensorFlow itself' },
  { service: 'Worker', name: 'CompleteGroup' },
  { service: 'Worker', name: 'CompleteInstance' },
  { service: 'Worker', name: 'GetStepSequence' },
];
