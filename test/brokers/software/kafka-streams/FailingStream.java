package brokers;

import java.net.ConnectException;
import java.util.Properties;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.LogAndContinueExceptionHandler;
import org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler;
import org.apache.kafka.streams.kstream.Consumed;

/** A stream that cannot read values that begin with x, and fails to process all others. */
public class FailingStream {
  private static class Deserializer extends ByteArrayDeserializer {
    @Override public byte[] deserialize(String topic, byte[] data) {
      if (data == null || data.length == 0 || data[0] != 'x') return data;
      throw new SerializationException("cannot read " + data.length + " bytes", new IllegalArgumentException("x at 0"));
    }
  }

  private static void charge(byte[] key, byte[] value) {
    if (value == null) throw new NullPointerException();
    throw new IllegalStateException("payments answered 503: größer", new ConnectException("refused"));
  }

  public static void main(String[] arguments) {
    var properties = new Properties();
    properties.put("application.id", "enrichment");
    properties.put("bootstrap.servers", System.getenv("BOOTSTRAP"));
    properties.put("state.dir", System.getenv("FOLDER"));
    properties.put("auto.offset.reset", "earliest");
    properties.put("errors.dead.letter.queue.topic.name", "streams-dead");
    properties.put("deserialization.exception.handler", LogAndContinueExceptionHandler.class.getName());
    properties.put("processing.exception.handler", LogAndContinueProcessingExceptionHandler.class.getName());
    var values = Serdes.serdeFrom(new ByteArraySerializer(), new Deserializer());
    var builder = new StreamsBuilder();
    builder.stream("streams-orders", Consumed.with(Serdes.ByteArray(), values)).foreach(FailingStream::charge);
    new KafkaStreams(builder.build(), properties).start();
  }
}
