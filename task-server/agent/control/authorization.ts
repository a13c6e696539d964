import { timingSafeEqual } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { permissionDenied } from '#proto/wire/status.ts';

/** Lets a call pass, or throws PERMISSION_DENIED. Each door of the agent has its own. */
export type Authorizer = (metadata: Metadata) => void;

export const TOKEN_KEY = 'lanflow-token';

/** For callers of this user on this machine: they can read the file in which the token stands. */
export function tokenAuthorizer(token: string): Authorizer {
  const expected = Buffer.from(token);
  return (metadata) => {
    const [given] = metadata.get(TOKEN_KEY);
    const bytes = Buffer.from(given ?? '');
    if (bytes.length === expected.length && timingSafeEqual(bytes, expected)) return;
    throw permissionDenied('This agent serves only programs of its own user, who can read its agent.json');
  };
}
