import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../../support/free-port.ts';
import { debianFolder } from './cache.ts';
import { type Program, startProgram, waitFor } from './start-program.ts';

export type RabbitMq = { readonly port: number; readonly management: string; readonly program: Program };

export const authorization = `Basic ${btoa('guest:guest')}`;
const erlang = path.join(debianFolder, 'usr/lib/erlang');
const binaries = path.join(erlang, 'erts-13.1.5/bin');
const home = path.join(debianFolder, 'usr/lib/rabbitmq/lib/rabbitmq_server-3.10.8');

/**
 * Starts RabbitMQ with its management API from the unpacked packages, and the daemon that knows the ports of
 * Erlang.
 */
export async function startRabbitMq(): Promise<RabbitMq> {
  const [port, managementPort, distributionPort, daemonPort] = await Promise.all(
    Array.from({ length: 4 }, findFreePort),
  );
  const folder = path.join(process.env.DLO_TEST_FOLDER ?? '', `rabbitmq-${port}`);
  const file = (name: string) => path.join(folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(file('enabled_plugins'), '[rabbitmq_management].');
  const settings = [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    'management.tcp.ip = 127.0.0.1',
    `management.tcp.port = ${managementPort}`,
  ];
  await writeFile(file('rabbitmq.conf'), `${settings.join('\n')}\n`);
  // The script of the package has the folder of an installation.
  await writeFile(file('erl'), '#!/bin/sh\nexec "$BINDIR/erlexec" "$@"\n');
  await chmod(file('erl'), 0o755);
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    ROOTDIR: erlang,
    BINDIR: binaries,
    EMU: 'beam',
    PROGNAME: 'erl',
    ERL_EPMD_PORT: `${daemonPort}`,
    RABBITMQ_HOME: home,
    RABBITMQ_NODENAME: 'suite@localhost',
    RABBITMQ_BASE: folder,
    RABBITMQ_SYS_PREFIX: folder,
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_CONFIG_FILE: file('rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: file('enabled_plugins'),
    RABBITMQ_MNESIA_BASE: file('mnesia'),
    RABBITMQ_LOG_BASE: file('log'),
    RABBITMQ_PID_FILE: file('pid'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_DIST_PORT: `${distributionPort}`,
    // In the process that was started, without a shell beside it.
    RABBITMQ_ALLOW_INPUT: '1',
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      '-start_epmd false -noinput -kernel inet_dist_use_interface {127,0,0,1}',
  };
  startProgram([path.join(binaries, 'epmd'), '-port', `${daemonPort}`, '-address', '127.0.0.1']);
  const program = startProgram([path.join(home, 'sbin/rabbitmq-server')], { env });
  const management = `http://127.0.0.1:${managementPort}/api`;
  const isReady = async () => {
    const response = await fetch(`${management}/overview`, { headers: { authorization } }).catch(
      () => undefined,
    );
    return response?.ok ?? false;
  };
  await waitFor('RabbitMQ answered', isReady, { program });
  return { port: port ?? 0, management, program };
}
