import { Code, StatusError, toCode } from '#proto/wire/status.ts';

/** A pointer that only the library looks behind. */
type Pointer = object | null;

type Native = (...values: unknown[]) => unknown;

/** The part of TensorFlow's C interface that makes a server, with statuses turned into exceptions. */
export interface TensorFlowLibrary {
  /** As long as this is reachable the code stays in memory; collected as garbage, it is unmapped under running servers. */
  readonly code: unknown;
  readonly version: string;
  /** `serverDef` is a serialized ServerDef. The server listens when this returns. Throws TensorFlow's StatusError. */
  startServer(serverDef: Uint8Array): { readonly target: string };
}

/** Loads the library into this process, for good. Rejects with a plain Error when it is no TensorFlow with servers. */
export async function loadTensorFlow(path: string): Promise<TensorFlowLibrary> {
  const { default: koffi } = await import('koffi');
  const library = koffi.load(path);
  const bind = (declaration: string): Native => library.func(declaration);
  const version = bind('const char *TF_Version()');
  const newStatus = bind('void *TF_NewStatus()');
  const deleteStatus = bind('void TF_DeleteStatus(void *status)');
  const getCode = bind('int TF_GetCode(void *status)');
  const getMessage = bind('const char *TF_Message(void *status)');
  const newServer = bind('void *TF_NewServer(const void *proto, size_t length, void *status)');
  const serverStart = bind('void TF_ServerStart(void *server, void *status)');
  const serverTarget = bind('const char *TF_ServerTarget(void *server)');

  function checked<T>(call: (status: Pointer) => T): T {
    const status = newStatus() as Pointer;
    try {
      const result = call(status);
      const code = toCode(Number(getCode(status)));
      if (code !== Code.OK) throw new StatusError(code, String(getMessage(status)));
      return result;
    } finally {
      deleteStatus(status);
    }
  }

  return {
    code: library,
    version: String(version()),
    startServer(serverDef) {
      const server = checked((status) => newServer(serverDef, serverDef.length, status) as Pointer);
      checked((status) => serverStart(server, status));
      return { target: String(serverTarget(server)) };
    },
  };
}
