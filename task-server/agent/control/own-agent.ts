import { create, type DescMethodUnary, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { addressFile, agentFolder } from '#proto/files/agent-address.ts';
import { fromGrpcStatus } from '../../service/grpc-status.ts';
import { answers, readAddress } from '../state/agent-file.ts';
import { TOKEN_KEY } from './authorization.ts';

const LIMIT_MS = 10_000;

/** What the agent of this user answers that runs on this machine; undefined when none does. Rejects with its StatusError. */
export async function callOwnAgent<M extends DescMethodUnary>(
  dataFolder: string,
  method: M,
  request: MessageInitShape<M['input']>,
): Promise<MessageShape<M['output']> | undefined> {
  const address = await readAddress(addressFile(agentFolder(dataFolder)));
  if (!address || !(await answers(address.socket))) return undefined;
  const client = new Client(`unix:${address.socket}`, credentials.createInsecure(), { 'grpc.enable_http_proxy': 0 });
  const metadata = new Metadata();
  metadata.set(TOKEN_KEY, address.token);
  const path = `/${method.parent.typeName}/${method.name}`;
  const bytes = Buffer.from(toBinary(method.input, create(method.input, request)));
  try {
    const answer = await new Promise<Uint8Array>((resolve, reject) => {
      client.makeUnaryRequest(path, same, same, bytes, metadata, { deadline: Date.now() + LIMIT_MS }, (error, response) => {
        if (error) reject(fromGrpcStatus(error));
        else resolve(response ?? new Uint8Array());
      });
    });
    // The descriptor's output is that of M, which TypeScript widens.
    return fromBinary(method.output, answer) as MessageShape<M['output']>;
  } finally {
    client.close();
  }
}

function same(bytes: Buffer): Buffer {
  return bytes;
}
