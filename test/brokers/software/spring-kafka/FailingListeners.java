package brokers;

import java.net.ConnectException;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.EnableKafkaRetryTopic;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.util.backoff.FixedBackOff;

/** Listeners of Spring Kafka that always fail: with an error handler, twice, and with retry topics. */
@Configuration @EnableKafka @EnableKafkaRetryTopic
public class FailingListeners {
  private static final Map<String, Object> SERVERS = Map.of("bootstrap.servers", System.getenv("BOOTSTRAP"));

  /** Cannot read keys and values that begin with x. */
  private static class BytesDeserializer extends ByteArrayDeserializer {
    @Override public byte[] deserialize(String topic, byte[] data) {
      if (data == null || data.length == 0 || data[0] != 'x') return data;
      throw new SerializationException("cannot read " + data.length + " bytes");
    }
  }

  @Bean KafkaAdmin admin() { return new KafkaAdmin(SERVERS); }
  @Bean ThreadPoolTaskScheduler scheduler() { return new ThreadPoolTaskScheduler(); }

  @Bean ConsumerFactory<byte[], byte[]> consumers() {
    var properties = new java.util.HashMap<>(SERVERS);
    properties.put("auto.offset.reset", "earliest");
    return new DefaultKafkaConsumerFactory<>(properties, FailingListeners::deserializer, FailingListeners::deserializer);
  }

  private static Deserializer<byte[]> deserializer() { return new ErrorHandlingDeserializer<>(new BytesDeserializer()); }

  @Bean KafkaTemplate<byte[], byte[]> template() {
    var bytes = new ByteArraySerializer();
    return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(SERVERS, bytes, bytes));
  }

  @Bean ConcurrentKafkaListenerContainerFactory<byte[], byte[]> kafkaListenerContainerFactory(
      ConsumerFactory<byte[], byte[]> consumers, KafkaTemplate<byte[], byte[]> template) {
    var factory = retrying(consumers);
    factory.getContainerProperties().setDeliveryAttemptHeader(true);
    factory.setCommonErrorHandler(
        new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template), new FixedBackOff(100, 2)));
    return factory;
  }

  @Bean ConcurrentKafkaListenerContainerFactory<byte[], byte[]> retrying(ConsumerFactory<byte[], byte[]> consumers) {
    var factory = new ConcurrentKafkaListenerContainerFactory<byte[], byte[]>();
    factory.setConsumerFactory(consumers);
    return factory;
  }

  @Bean Listeners listeners() { return new Listeners(); }

  public static class Listeners {
    @KafkaListener(id = "billing", topics = "spring-orders")
    public void charge(ConsumerRecord<byte[], byte[]> record) {
      if (record.value() == null) throw new NullPointerException();
      throw new IllegalStateException("payments answered 503: größer", new ConnectException("refused"));
    }

    @KafkaListener(id = "refunds", topics = "spring-refunds")
    public void refund(ConsumerRecord<byte[], byte[]> record) { throw new IllegalStateException("bank is closed"); }

    @KafkaListener(id = "refunds-later", topics = "spring-refunds-dlt")
    public void refundLater(ConsumerRecord<byte[], byte[]> record) { throw new IllegalStateException("bank is still closed"); }

    @RetryableTopic(attempts = "3", backOff = @BackOff(delay = 200), kafkaTemplate = "template",
        numPartitions = "1", replicationFactor = "1")
    @KafkaListener(id = "shipping", topics = "spring-parcels", containerFactory = "retrying")
    public void ship(ConsumerRecord<byte[], byte[]> record) { throw new IllegalStateException("warehouse is closed"); }
  }

  public static void main(String[] arguments) {
    new AnnotationConfigApplicationContext(FailingListeners.class);
  }
}
