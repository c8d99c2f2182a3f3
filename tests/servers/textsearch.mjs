// PostgreSQL with pgvector and pg_textsearch in one process, in memory: `make textsearch`.
// One session for all connections, so tests use it one after the other.
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

const db = await PGlite.create({ extensions: { vector, pg_textsearch } });
const port = Number(process.argv[2]);
await new PGLiteSocketServer({ db, port, host: '127.0.0.1', maxConnections: 20 }).start();
console.log('ready');
