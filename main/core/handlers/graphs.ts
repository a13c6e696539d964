import { unimplemented } from '#proto/wire/status.ts';
import type { AreaHandlers } from '../handler.ts';

export function graphHandlers(): AreaHandlers<'graphs'> {
  return {
    'graphs.view': () => {
      throw unimplemented('graphs.view is not there yet');
    },
    'graphs.node': () => {
      throw unimplemented('graphs.node is not there yet');
    },
    'graphs.place': () => {
      throw unimplemented('graphs.place is not there yet');
    },
    'graphs.export': () => {
      throw unimplemented('graphs.export is not there yet');
    },
  };
}
