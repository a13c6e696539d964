import type { ChosenFile, Shell } from './shell.ts';

/** A browser saves among its downloads; it has no menu of ours and opens no files for us. */
export const browserShell: Shell = {
  saveFile: async (name, content) => {
    const url = URL.createObjectURL(new Blob([content as Uint8Array<ArrayBuffer>]));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
    return true;
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

/** The content of a file that was chosen or dropped. */
export async function readFile(file: File): Promise<ChosenFile> {
  return { name: file.name, content: new Uint8Array(await file.arrayBuffer()) };
}
