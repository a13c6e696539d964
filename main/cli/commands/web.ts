import { once } from 'node:events';
import { invalidArgument } from '#proto/wire/status.ts';
import { type AddCommand, action } from '../command.ts';
import { startWebServer } from '../web/server.ts';

const MAX_PORT = 65_535;

export const addWebCommand: AddCommand = (program, context) => {
  program
    .command('web')
    .description('serves the app to a browser on this machine, until Ctrl-C')
    .option('--port <port>', 'of 127.0.0.1; any free one by default', '0')
    .action(
      action('web', context, async (signal, { port }: { port: string }) => {
        const { terminal } = context;
        const server = await startWebServer({ port: portNumber(port), log: (line) => terminal.log(line) });
        terminal.print(`open ${server.url}`);
        if (!signal.aborted) await once(signal, 'abort');
        await server.close();
      }),
    );
};

function portNumber(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= MAX_PORT) return Number(text);
  throw invalidArgument(`--port: '${text}' is no port`);
}
