// A consumer of each library of Kafka, with the client of the product. Its handler fails for every message.
const { client, library, topic, group, brokers, ...options } = JSON.parse(process.argv[2]);
const { deadLetters } = await import(client);

const open = (from) =>
  deadLetters({ from, consumer: 'billing', attempts: 1, warn: console.log, ...options }).wrap((payload) => {
    const { value } = payload.message ?? payload;
    console.log(`handles ${value}`);
    throw new TypeError(`no stock for ${value}`);
  });
const retry = { initialRetryTime: 100, retries: 1 };
const session = { groupId: group, sessionTimeout: 6000 };

async function runKafkaJs(config) {
  const { Kafka } = await import('kafkajs');
  const consumer = new Kafka({ brokers, retry }).consumer(session);
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run(config);
}

async function runConfluent(config) {
  const { KafkaJS } = await import('@confluentinc/kafka-javascript');
  const consumer = new KafkaJS.Kafka({ kafkaJS: { brokers } }).consumer({
    kafkaJS: { ...session, fromBeginning: true, autoCommitInterval: 500 },
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic] });
  await consumer.run(config);
}

async function runPlatformatic() {
  const { Consumer } = await import('@platformatic/kafka');
  const handle = open('platformatic-kafka');
  for (;;) {
    const consumer = new Consumer({ ...session, clientId: group, bootstrapBrokers: brokers });
    try {
      const mode = { mode: 'committed', fallbackMode: 'earliest', maxWaitTime: 100 };
      for await (const message of await consumer.consume({ topics: [topic], autocommit: false, ...mode })) {
        await handle(message);
      }
    } catch {
      // The message is the first one again, as after a restart of the process.
      await consumer.close(true);
    }
  }
}

const run = {
  'kafkajs eachMessage': () => runKafkaJs({ eachMessage: open('kafkajs') }),
  'kafkajs eachBatch': () => runKafkaJs(open('kafkajs-batch')),
  'confluent eachMessage': () => runConfluent({ eachMessage: open('kafkajs') }),
  'confluent eachBatch': () => runConfluent(open('kafkajs-batch')),
  platformatic: runPlatformatic,
};
await run[library]();
