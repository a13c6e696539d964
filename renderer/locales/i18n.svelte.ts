import { catalogues, type Language, type MessageKey } from './catalogues.ts';
import type { Messages } from './generated/messages.ts';
import { fillMessage, type MessageArguments, pseudoMessage } from './message.ts';
import { translateMessage } from './sentences/translate-message.ts';

type ArgumentsOf<K extends MessageKey> = Messages[K] extends null ? [] : [values: Messages[K]];

/** The text of a message in the language of now. */
export type Text = <K extends MessageKey>(key: K, ...values: ArgumentsOf<K>) => string;

/** The field's name for a language that nobody speaks. */
const PSEUDO = 'en-XA';

/** Texts, numbers and times in the language of the window. Whatever a template reads from here changes with the language. */
export class I18n {
  #systemLanguage = $state('');
  #choice = $state<Language | 'system'>('system');
  readonly language: Language = $derived(this.#choice === 'system' ? this.#fromSystem() : this.#choice);
  readonly #pseudo = $derived(this.#choice === 'system' && this.#systemLanguage === PSEUDO);
  readonly #style = $derived({ plural: new Intl.PluralRules(this.language), number: new Intl.NumberFormat(this.language) });

  /** `systemLanguage` as the browser names it, such as `zh-Hans-CN`. */
  constructor(systemLanguage: string) {
    this.#systemLanguage = systemLanguage;
  }

  choose(language: Language | 'system'): void {
    this.#choice = language;
  }

  readonly text: Text = (key, ...[values]) => {
    const text = catalogues[this.language][key];
    return fillMessage(this.#pseudo ? pseudoMessage(text) : text, (values ?? {}) as MessageArguments, this.#style);
  };

  /** A sentence that the core has made, in words of the language of now. */
  readonly message = (sentence: string): string => translateMessage(sentence, this.language);

  /** `10:42:07` */
  readonly time = (epoch: number): string =>
    this.#format(epoch, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

  /** `10:42` for today, with the date for other days. */
  readonly when = (epoch: number, now = Date.now()): string => {
    const sameDay = new Date(epoch).toDateString() === new Date(now).toDateString();
    const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    return this.#format(epoch, sameDay ? clock : { ...clock, month: 'short', day: 'numeric' });
  };

  readonly count = (value: number): string => this.#style.number.format(value);

  #format(epoch: number, options: Intl.DateTimeFormatOptions): string {
    return new Intl.DateTimeFormat(this.language, options).format(epoch);
  }

  #fromSystem(): Language {
    return this.#systemLanguage.toLowerCase().startsWith('zh') ? 'zh-CN' : 'en';
  }
}
