import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';

const methods = {
  'tensorflow.MasterService': ['CreateSession', 'ExtendSession', 'RunStep', 'CloseSession', 'ListDevices', 'Reset'],
  'tensorflow.WorkerService': [
    'GetStatus',
    'CreateWorkerSession',
    'DeleteWorkerSession',
    'RegisterGraph',
    'DeregisterGraph',
    'RunGraph',
    'CleanupGraph',
    'CleanupAll',
    'RecvTensor',
    'Logging',
  ],
};

const raw = (bytes) => bytes;
const unlimited = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1, 'grpc.enable_http_proxy': 0 };
const detailsKey = 'grpc-status-details-bin';

/**
 * A gRPC server on `port` that passes every call on to `address` and hands its bytes to `record` when it is answered.
 * Resolves to a function that ends it.
 */
export async function startProxy(port, address, record) {
  const client = new Client(address, credentials.createInsecure(), unlimited);
  const server = new Server(unlimited);
  for (const [service, names] of Object.entries(methods)) {
    const definition = Object.fromEntries(names.map((name) => [name, unaryMethod(`/${service}/${name}`)]));
    const handlers = Object.fromEntries(names.map((name) => [name, forward(client, `/${service}/${name}`, record)]));
    server.addService(definition, handlers);
  }
  await new Promise((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())),
  );
  return () => {
    server.forceShutdown();
    client.close();
  };
}

function unaryMethod(path) {
  const bytes = { requestSerialize: raw, requestDeserialize: raw, responseSerialize: raw, responseDeserialize: raw };
  return { path, requestStream: false, responseStream: false, ...bytes };
}

function forward(client, method, record) {
  return (call, answer) => {
    const request = call.request.toString('base64');
    const onward = client.makeUnaryRequest(method, raw, raw, call.request, (error, response) => {
      if (!error) record({ method, request, response: response.toString('base64') });
      else record({ method, request, error: statusOf(error) });
      answer(error, response);
    });
    call.on('cancelled', () => onward.cancel());
  };
}

function statusOf({ code, details, metadata }) {
  const [container] = metadata?.get(detailsKey) ?? [];
  return { code, message: details, ...(container && { details: container.toString('base64') }) };
}
