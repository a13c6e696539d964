/** A piece of source text and how it is coloured. */
export interface Piece {
  readonly kind: 'comment' | 'string' | 'keyword' | 'number' | 'plain';
  readonly text: string;
}

const keywords =
  'abstract as async await break case catch class const continue default delete do else export extends finally for from function get if implements import in instanceof interface let new null of private readonly return satisfies static super switch this throw true false try type typeof undefined var void while yield';

const token = new RegExp(
  [
    '(?<comment>/\\*[\\s\\S]*?\\*/|//[^\\n]*)',
    // A template is one string, with what it holds.
    '(?<string>\'(?:[^\'\\\\\\n]|\\\\.)*\'|"(?:[^"\\\\\\n]|\\\\.)*"|`(?:[^`\\\\]|\\\\.)*`)',
    `(?<keyword>\\b(?:${keywords.replaceAll(' ', '|')})\\b)`,
    '(?<number>\\b\\d[\\w.]*)',
  ].join('|'),
  'g',
);

/** TypeScript or JavaScript cut into pieces; together they are the text again. */
export function highlight(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  const add = (kind: Piece['kind'], text: string) => {
    if (text !== '') pieces.push({ kind, text });
  };
  for (const match of source.matchAll(token)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ['plain'];
    add('plain', source.slice(end, match.index));
    add(kind as Piece['kind'], match[0]);
    end = match.index + match[0].length;
  }
  add('plain', source.slice(end));
  return pieces;
}
