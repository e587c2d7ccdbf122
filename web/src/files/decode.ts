// The text of a file: packed or not, in whatever letters it was written.

const LARGEST = 400 << 20;

/// Unpacks `.gz` and `.zst` by their first bytes, then reads UTF-8 or, if it is none, Latin letters.
export async function fileText(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await unpacked(file));
  if (bytes.length > LARGEST) throw new Error(`it is larger than ${LARGEST >> 20} MB`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

async function unpacked(file: Blob): Promise<ArrayBuffer> {
  const [a, b, c, d] = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (a === 0x1f && b === 0x8b) {
    try {
      return await new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
    } catch {
      throw new Error('the packed file is damaged');
    }
  }
  const bytes = await file.arrayBuffer();
  if (a !== 0x28 || b !== 0xb5 || c !== 0x2f || d !== 0xfd) return bytes;
  const { decompress } = await import('fzstd');
  try {
    return decompress(new Uint8Array(bytes)).slice().buffer;
  } catch {
    throw new Error('the packed file is damaged');
  }
}
