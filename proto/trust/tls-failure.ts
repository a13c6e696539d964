import { REFUSED } from './dialler.ts';

/** What OpenSSL, Node and grpc-js say of a connection that TLS prevented, as a user would. The first that matches counts. */
const failures: readonly { readonly pattern: RegExp; readonly text: string }[] = [
  {
    pattern: /wrong version number|packet length too long|unknown protocol/i,
    text: 'it does not speak TLS; if it is a genuine TensorFlow server, name it with --plaintext or in LANFLOW_TLS_PLAINTEXT',
  },
  { pattern: /certificate has expired/i, text: 'its certificate has expired, or the clock of this machine is wrong' },
  { pattern: /certificate is not yet valid/i, text: 'its certificate is not valid yet: the clock of one of the two machines is wrong' },
  { pattern: /self[- ]signed certificate|unable to (get|verify)|signature failure/i, text: 'its certificate is of another lab' },
  {
    pattern: /alert certificate required|alert unknown ca|alert bad certificate|alert certificate/i,
    text: "it does not accept this machine's certificate",
  },
  { pattern: /unsupported certificate purpose|unsuitable certificate purpose/i, text: 'its certificate is not one for servers' },
];

/** Undefined when the text is about something else. */
export function tlsFailure(text: string): string | undefined {
  const refused = text.indexOf(REFUSED);
  // Behind it grpc-js may say what became of the address.
  if (refused >= 0) return text.slice(refused + REFUSED.length).replace(/\. Resolution note:.*/s, '');
  return failures.find(({ pattern }) => pattern.test(text))?.text;
}
