import { expect, it } from 'vitest';
import { AGENT_PORT } from '#proto/discovery/agent-port.ts';
import { parseFlags } from '../../../../task-server/agent/flags.ts';

const run = { command: 'run', data: '/d', private: false, keepsTasks: false, lan: undefined, pairing: false };

it.each<[string, string[], object]>([
  ['an agent for this machine', [], run],
  ['a private one', ['--private'], { ...run, private: true }],
  ['one whose tasks outlive it', ['--keep-tasks'], { ...run, keepsTasks: true }],
  ['one for the LAN', ['--lan'], { ...run, lan: { listen: undefined, port: AGENT_PORT } }],
  ['one at a place', ['--lan', '--port', '0', '--listen', '10.0.0.7'], { ...run, lan: { listen: '10.0.0.7', port: 0 } }],
  ['what people start', ['--lan', '--pairing'], { ...run, lan: { listen: undefined, port: AGENT_PORT }, pairing: true }],
  ['what people start for themselves', ['--lan', '--pairing', '--local'], { ...run, pairing: true }],
  ['another folder, the last one', ['--data', '/e'], { ...run, data: '/e' }],
  ['a PIN', ['--lan', '--pairing', '--pin'], { command: 'pin', data: '/d' }],
  ['a request', ['--lan', 'trust', 'request'], { command: 'trust request', data: '/d' }],
  ['what came of it', ['trust', 'accept'], { command: 'trust accept', data: '/d' }],
])('reads %s', (_, args, flags) => {
  expect(parseFlags(['--data', '/d', ...args])).toEqual(flags);
});

it.each<[string[], RegExp]>([
  [['--lan', '--private', '--data', '/d'], /--private: an agent that answers other machines/],
  [['--private', '--keep-tasks', '--data', '/d'], /--private: the tasks of such an agent end with it/],
  [['--data', '/d', '--port', 'x'], /--port: "x" is no port/],
  [['--data', '/d', '--port', '70000'], /--port: "70000" is no port/],
  [['--data', '/d', 'trust'], /"trust" is none of/],
  [['--data', '/d', '--nope'], /Unknown option '--nope'/],
  [['--lan'], /--data is missing/],
])('refuses %j', (args, message) => {
  expect(() => parseFlags(args)).toThrow(message);
});
