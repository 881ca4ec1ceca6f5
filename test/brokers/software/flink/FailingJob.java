package brokers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** A job whose function charges no order: each one goes to a side output, and from there to the dead-letter topic. */
public class FailingJob {
  private static final String GROUP = "charging";

  /** The fields are public and not final, as Flink's serializer of such classes asks. */
  public static class Order {
    public byte[] key;
    public byte[] value;
    public String topic;
    public int partition;
    public long offset;
    public long timestamp;
    public List<String> headerNames = new ArrayList<>();
    public List<byte[]> headerValues = new ArrayList<>();
  }

  public static class DeadLetter {
    public Order order;
    public String errorClass;
    public String message;
    public String stacktrace;
  }

  private static final OutputTag<DeadLetter> DEAD = new OutputTag<>("dead", TypeInformation.of(DeadLetter.class));

  private static class Reader implements KafkaRecordDeserializationSchema<Order> {
    @Override public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<Order> out) {
      var order = new Order();
      order.key = record.key();
      order.value = record.value();
      order.topic = record.topic();
      order.partition = record.partition();
      order.offset = record.offset();
      order.timestamp = record.timestamp();
      for (var header : record.headers()) {
        order.headerNames.add(header.key());
        order.headerValues.add(header.value());
      }
      out.collect(order);
    }

    @Override public TypeInformation<Order> getProducedType() { return TypeInformation.of(Order.class); }
  }

  private static class Charge extends ProcessFunction<Order, String> {
    @Override public void processElement(Order order, Context context, Collector<String> out) {
      try {
        out.collect(charge(order.value));
      } catch (RuntimeException error) {
        var stacktrace = new StringWriter();
        error.printStackTrace(new PrintWriter(stacktrace));
        var dead = new DeadLetter();
        dead.order = order;
        dead.errorClass = error.getClass().getName();
        dead.message = error.getMessage();
        dead.stacktrace = stacktrace.toString();
        context.output(DEAD, dead);
      }
    }

    private static String charge(byte[] value) {
      if (value == null) throw new NullPointerException();
      throw new IllegalStateException("payments answered 503: größer", new ConnectException("refused"));
    }
  }

  private static class Writer implements KafkaRecordSerializationSchema<DeadLetter> {
    @Override public ProducerRecord<byte[], byte[]> serialize(DeadLetter dead, KafkaSinkContext context, Long timestamp) {
      var order = dead.order;
      var headers = new ArrayList<Header>();
      for (int i = 0; i < order.headerNames.size(); i++)
        headers.add(new RecordHeader(order.headerNames.get(i), order.headerValues.get(i)));
      headers.add(text("dlq.original.topic", order.topic));
      headers.add(text("dlq.original.partition", order.partition));
      headers.add(text("dlq.original.offset", order.offset));
      headers.add(text("dlq.original.timestamp", order.timestamp));
      headers.add(text("dlq.consumer.group", GROUP));
      headers.add(text("dlq.error.class", dead.errorClass));
      headers.add(text("dlq.error.message", dead.message));
      headers.add(text("dlq.error.stacktrace", dead.stacktrace));
      return new ProducerRecord<>("flink-dead", null, order.key, order.value, headers);
    }

    private static Header text(String name, Object value) {
      return new RecordHeader(name, String.valueOf(value).getBytes(UTF_8));
    }
  }

  public static void main(String[] arguments) throws Exception {
    var servers = System.getenv("BOOTSTRAP");
    var environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.setParallelism(1);
    environment.enableCheckpointing(1000);
    var source = KafkaSource.<Order>builder()
        .setBootstrapServers(servers)
        .setTopics("flink-orders")
        .setGroupId(GROUP)
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setDeserializer(new Reader())
        .build();
    var sink = KafkaSink.<DeadLetter>builder()
        .setBootstrapServers(servers)
        .setRecordSerializer(new Writer())
        .build();
    environment.fromSource(source, WatermarkStrategy.noWatermarks(), "orders")
        .process(new Charge())
        .getSideOutput(DEAD)
        .sinkTo(sink);
    environment.execute("charging");
  }
}
