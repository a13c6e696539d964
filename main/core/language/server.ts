/**
 * The language server's process: answers what `protocol.ts` says, and ends with the core that started it. It is apart from the core
 * because TypeScript computes for tens of milliseconds at a stretch and may need much memory.
 */
import { toStatusError } from '#proto/wire/status.ts';
import { bundlePath } from '../../program-host/bundles.ts';
import { loadLanguage } from './load-language.ts';
import type { Answers, FromServer, Language, Request } from './protocol.ts';

function tell(message: FromServer): void {
  process.send?.(message);
}

async function answer(language: Language, request: Request): Promise<Answers[keyof Answers]> {
  if (request.kind === 'check') return language.check(request.file, request.source);
  return language.complete(request.file, request.source, request.offset);
}

process.on('disconnect', () => process.exit(0));
// A terminal sends Ctrl-C to every process of its group; the core decides what becomes of this one.
process.on('SIGINT', () => {});

const language = await loadLanguage(bundlePath('language/declarations.json'));
process.on('message', (request: Request) => {
  answer(language, request).then(
    (value) => tell({ kind: 'result', value }),
    (error: unknown) => tell({ kind: 'failure', message: toStatusError(error).message }),
  );
});
tell({ kind: 'ready' });
