/**
 * Makes the icons of the packaged app from packaging/icon.svg: `node scripts/icons.mjs`. A Chromium draws them; the containers of
 * Windows (.ico) and macOS (.icns) hold the same PNG files.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { installChromium } from './electron.mjs';

const folder = fileURLToPath(new URL('../packaging', import.meta.url));
const linuxSizes = [16, 32, 48, 64, 128, 256, 512];
const windowsSizes = [16, 24, 32, 48, 64, 128, 256];
/** Types of the elements of an .icns file that are PNGs, and the size of each. */
const macTypes = { icp4: 16, icp5: 32, ic11: 32, ic12: 64, ic07: 128, ic08: 256, ic13: 256, ic09: 512, ic14: 512, ic10: 1024 };

async function draw(svg, sizes) {
  const executablePath = installChromium();
  if (!executablePath) throw new Error('The icons are drawn by Chromium, which cannot be had here.');
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  const images = new Map();
  for (const size of sizes) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>* { margin: 0 } svg { display: block; width: ${size}px; height: ${size}px }</style>${svg}`);
    images.set(size, await page.screenshot({ omitBackground: true }));
    await page.close();
  }
  await browser.close();
  return images;
}

/** Header (reserved, type 1, count), one entry of 16 bytes per image, the images. */
function ico(images) {
  const header = Buffer.alloc(6 + 16 * images.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(images.length, 4);
  let offset = header.length;
  for (const [index, { size, png }] of images.entries()) {
    const entry = 6 + 16 * index;
    // 0 stands for 256.
    header.writeUInt8(size % 256, entry);
    header.writeUInt8(size % 256, entry + 1);
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(png.length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += png.length;
  }
  return Buffer.concat([header, ...images.map(({ png }) => png)]);
}

/** Elements of type, length and content in a file of the same form. */
function icns(elements) {
  const element = (type, content) => {
    const head = Buffer.alloc(8);
    head.write(type, 'latin1');
    head.writeUInt32BE(content.length + 8, 4);
    return Buffer.concat([head, content]);
  };
  return element('icns', Buffer.concat(elements.map(({ type, png }) => element(type, png))));
}

const sizes = [...new Set([...linuxSizes, ...windowsSizes, ...Object.values(macTypes)])];
const images = await draw(await readFile(`${folder}/icon.svg`, 'utf8'), sizes);
await mkdir(`${folder}/icons`, { recursive: true });
for (const size of linuxSizes) await writeFile(`${folder}/icons/${size}x${size}.png`, images.get(size));
await writeFile(`${folder}/icon.ico`, ico(windowsSizes.map((size) => ({ size, png: images.get(size) }))));
await writeFile(`${folder}/icon.icns`, icns(Object.entries(macTypes).map(([type, size]) => ({ type, png: images.get(size) }))));
console.log(`Wrote ${linuxSizes.length} PNG files, icon.ico and icon.icns into packaging/`);
