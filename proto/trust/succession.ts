import type { X509Certificate } from 'node:crypto';
import { invalidArgument, permissionDenied } from '#proto/wire/status.ts';
import { handoversIn, handsOver, isAmong, keysOf, pemOf, serialOf } from './authority-certificate.ts';
import { revokedSerials } from './crl.ts';
import { readable } from './readable.ts';
import { joinRevocations, listsOf } from './revocations.ts';
import { certificatesIn } from './tls-files.ts';

/** What a lab tells everybody of itself. PEM texts, none of them secret. */
export interface Published {
  /** Newest first. */
  readonly authority: string;
  /** Certificates for the keys of these authorities, each signed by the authority before. */
  readonly handovers: string;
  /** Empty: nothing has been revoked. */
  readonly revocations: string;
}

type Certificates = readonly X509Certificate[];

/** Each is compared with each; no lab replaces its authority so often without forgetting one. */
const MAX_AUTHORITIES = 16;

/**
 * What is believed of a lab after news of it, whoever has brought them. Only the newest authority can hand over to another one, and end
 * earlier ones by having them on its revocation list; so news that are older than what is known change nothing. PERMISSION_DENIED when
 * an authority is not vouched for like this; INVALID_ARGUMENT for what cannot be read.
 */
export function succeed(present: Published, news: Published): Published {
  const offered = readable("certificate of the lab's authority", () => few(certificatesIn(news.authority)));
  const brought = readable("handover of the lab's authority", () => few(handoversIn(news.handovers)));
  const earlier = handoversIn(present.handovers);
  const all = withHeirs(certificatesIn(present.authority), offered, [...earlier, ...brought]);
  const ended = endedBy(all, news.revocations + present.revocations);
  const strange = offered.find((each) => !isAmong(all, each) && !ended.has(serialOf(each)));
  if (strange) throw notVouchedFor(strange);
  const left = all.filter((each, index) => index === 0 || !ended.has(serialOf(each)));
  const sound = brought.filter((each) => !isAmong(earlier, each) && all.some((to) => all.some((from) => handsOver(each, { from, to }))));
  return {
    authority: pemOf(left),
    handovers: pemOf([...sound, ...earlier].filter(({ publicKey }) => left.some((to) => to.publicKey.equals(publicKey)))),
    revocations: joinRevocations(ofThose(news.revocations, { known: [...all, ...offered], left }), present.revocations, keysOf(left)),
  };
}

function few(certificates: Certificates): Certificates {
  if (certificates.length <= MAX_AUTHORITIES) return certificates;
  throw invalidArgument(`there are more than ${MAX_AUTHORITIES} in it`);
}

/** Newest first, as the handovers say; in which order they were offered makes no difference. */
function withHeirs(known: Certificates, offered: Certificates, handovers: Certificates): Certificates {
  const [from] = known;
  const heir = offered.find((to) => from && !isAmong(known, to) && handovers.some((each) => handsOver(each, { from, to })));
  return heir ? withHeirs([heir, ...known], offered, handovers) : known;
}

/** Serial numbers on the lists of the newest authority: an earlier one has no say in who comes after it. */
function endedBy([newest]: Certificates, lists: string): ReadonlySet<string> {
  const keys = newest ? [newest.publicKey] : [];
  return revokedSerials(listsOf(lists, keys).join(''), keys);
}

/** Lists of authorities that have ended are left out; INVALID_ARGUMENT when there is one of nobody that is known. */
function ofThose(lists: string, { known, left }: { readonly known: Certificates; readonly left: Certificates }): string {
  readable('revocation list', () => revokedSerials(lists, keysOf(known)));
  return listsOf(lists, keysOf(left)).join('');
}

function notVouchedFor({ fingerprint256 }: X509Certificate): Error {
  const way = 'if it is right, the machine must be paired anew, or you be invited anew';
  return permissionDenied(`The authority ${fingerprint256} is not vouched for by the one of the lab that is believed here; ${way}`);
}
