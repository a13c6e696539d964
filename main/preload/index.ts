import { contextBridge, ipcRenderer } from 'electron';
import type { ShellBridge, ShellNotice } from '#proto/ipc/bridge.ts';
import { Channel } from '../app/channels.ts';

const bridge: ShellBridge = {
  send: (frame) => ipcRenderer.send(Channel.frame, frame),
  listen: ({ onFrame, onNotice }) => {
    ipcRenderer.on(Channel.frame, (_event, frame: Uint8Array) => onFrame(frame));
    ipcRenderer.on(Channel.notice, (_event, notice: ShellNotice) => onNotice(notice));
    ipcRenderer.send(Channel.listen);
  },
  call: (name, argument) => ipcRenderer.invoke(Channel.call, name, argument),
};

contextBridge.exposeInMainWorld('lanflow', bridge);
