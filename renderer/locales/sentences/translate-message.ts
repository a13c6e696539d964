import { catalogues, type Language } from '../catalogues.ts';
import { Translator } from './translator.ts';
import chinese from './zh-CN.json';

/**
 * A sentence of the core, of an agent or of a file's reader in the language of the window. The English sentence is the key, so that
 * whoever reports an error writes it in words, where it happens. `zh-CN.json` has those that `scripts/sentences.mjs` finds in the
 * sources, and may have shorter words that stand in their holes. What is not in it stays in English: the words of the operating
 * system, of programs, and those of servers, which are TensorFlow's own, and by which people find help elsewhere.
 */
export function translateMessage(message: string, language: Language): string {
  if (language === 'en') return message;
  translator ??= new Translator(new Map([...drawingProblems(), ...Object.entries(chinese)]));
  return translator.translate(message);
}

/** Made when it is wanted: most windows show no sentence of the core before they are ready. */
let translator: Translator | undefined;

/** The catalogue has what may be wrong with a drawing, word by word as the core says it. */
function drawingProblems(): readonly [string, string][] {
  const { en, 'zh-CN': translated } = catalogues;
  const keys = Object.keys(en).filter((key): key is keyof typeof en => key.startsWith('draw.problem.'));
  return keys.map((key) => [en[key], translated[key]]);
}
