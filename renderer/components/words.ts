/** Are all words of the query in the text, in any order? Upper and lower case are alike; an empty query is in every text. */
export function hasWords(text: string, query: string): boolean {
  const haystack = text.toLowerCase();
  return wordsOf(query).every((word) => haystack.includes(word));
}

/** What answers the query, best first: what begins with its first word, then what has it at the beginning of a word, then the rest. */
export function rankByWords<T>(items: readonly T[], query: string, textOf: (item: T) => string): readonly T[] {
  const [first = ''] = wordsOf(query);
  const rank = (item: T) => {
    const text = textOf(item).toLowerCase();
    if (text.startsWith(first)) return 0;
    return text.includes(` ${first}`) || text.includes(`-${first}`) ? 1 : 2;
  };
  return items.filter((item) => hasWords(textOf(item), query)).sort((a, b) => rank(a) - rank(b));
}

function wordsOf(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}
