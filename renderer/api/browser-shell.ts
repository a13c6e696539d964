import type { ChosenFile, Shell } from './shell.ts';

/** Downloads that begin sooner one after another may be taken for one. */
const BETWEEN_DOWNLOADS = 150;

/** A browser saves among its downloads; it has no menu of ours and opens no files for us. */
export const browserShell: Shell = {
  saveFile: async (name, content) => {
    download(name, content);
    return {};
  },
  saveFiles: async (files) => {
    for (const { name, content } of files) {
      download(name, content);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_DOWNLOADS));
    }
    return {};
  },
  openFile: (_title, extensions) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = extensions.map((extension) => `.${extension}`).join(',');
    return new Promise((resolve, reject) => {
      input.addEventListener('cancel', () => resolve(undefined));
      input.addEventListener('change', () => {
        const file = input.files?.[0];
        if (file) readFile(file).then(resolve, reject);
      });
      input.click();
    });
  },
  setAppearance: async () => {},
  onCommand: () => {},
  onFileOpened: () => {},
};

function download(name: string, content: Uint8Array): void {
  // A view on shared memory cannot be saved, and files never are one.
  const url = URL.createObjectURL(new Blob([content as Uint8Array<ArrayBuffer>]));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** The content of a file that was chosen or dropped. */
export async function readFile(file: File): Promise<ChosenFile> {
  return { name: file.name, content: new Uint8Array(await file.arrayBuffer()) };
}
