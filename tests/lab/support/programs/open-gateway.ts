/** An app, whose core is the first argument, that opens the cluster of the second one's title; prints the gateway as JSON. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownDataFolder } from '../../../../main/store/data-folder.ts';
import { CoreClient } from '../../../integration/core/core-client.ts';

const [program, title] = process.argv.slice(2);
const core = new CoreClient(ownDataFolder(), program);
const running = async (): Promise<string> => {
  const found = (await core.call('clusters.list', null)).find((each) => each.title === title && each.state === 'running');
  return found?.id ?? sleep(200).then(running);
};

const ended = once(process, 'SIGTERM');
const { gateway } = await core.call('clusters.setGateway', { cluster: await running(), open: true });
console.log(JSON.stringify(gateway));
await ended;
process.exit(await core.leave());
