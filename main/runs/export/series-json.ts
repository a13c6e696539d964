import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { strictJson } from '../strict-json.ts';
import type { ExportRun } from './export-source.ts';
import { joinTexts } from './pieces.ts';

/** Every sample of every series, by column, with what is needed to know where they come from. */
export const exportSeriesJson: ExportRun = async ({ record, series }) => {
  const { id, title, program, startedAt, endedAt } = record;
  return { name: `${id}.json`, content: await joinTexts(jsonParts({ id, title, program, startedAt, endedAt }, series.all())) };
};

function* jsonParts(run: object, series: readonly SeriesColumns[]): Generator<string> {
  yield `{"run":${strictJson(run)},"series":[`;
  for (const [i, { client, name, steps, values, times }] of series.entries()) {
    yield `${i > 0 ? ',' : ''}\n{"client":${strictJson(client)},"name":${strictJson(name)}`;
    for (const [column, numbers] of Object.entries({ steps, values, times })) {
      yield `,"${column}":[`;
      for (const [row, number] of numbers.entries()) yield `${row > 0 ? ',' : ''}${strictJson(number)}`;
      yield ']';
    }
    yield '}';
  }
  yield '\n]}\n';
}
