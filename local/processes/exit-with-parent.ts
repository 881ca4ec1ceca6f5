// Preloaded into every function (`node --import`). The channel to the office closes when the office is gone, even
// after a kill -9: no function outlives it, and neither does the folder with the sockets.
import { removeRunFolder } from '../run-folder.ts';

process.on('disconnect', leave);
if (!process.connected) leave();

function leave(): void {
  const folder = process.env.DLO_RUN_FOLDER;
  try {
    if (folder) removeRunFolder(folder);
  } finally {
    process.exit(0);
  }
}
