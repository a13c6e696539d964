/** A picture of ours in SVG, as PNG, with this many pixels for each of its own. */
export async function svgToPng(svg: string, pixelRatio: number): Promise<Uint8Array> {
  const image = new Image();
  // A data URL, and not one of a blob: the policy of the page lets in no other.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * pixelRatio;
  canvas.height = image.naturalHeight * pixelRatio;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('The browser could not make a PNG of the plot');
  return new Uint8Array(await blob.arrayBuffer());
}
