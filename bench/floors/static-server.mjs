/** The baseline for a cached variant: the same bytes as a plain file, served by @fastify/static. */
import fastifyStatic from '@fastify/static';
import fastify from 'fastify';

const app = fastify();
app.get('/', async () => 'here');
app.register(fastifyStatic, { root: process.env.FOLDER, prefix: '/files/' });
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
