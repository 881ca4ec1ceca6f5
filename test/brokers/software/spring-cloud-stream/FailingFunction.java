package brokers;

import java.net.ConnectException;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.Message;

/** A function of Spring Cloud Stream that always fails, with a dead-letter topic. */
@SpringBootApplication
public class FailingFunction {
  @Bean public Consumer<Message<byte[]>> charge() {
    return (message) -> {
      throw new IllegalStateException("payments answered 503: größer", new ConnectException("refused"));
    };
  }

  public static void main(String[] arguments) {
    var application = new SpringApplication(FailingFunction.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    var input = "spring.cloud.stream.bindings.charge-in-0.";
    var kafkaInput = "spring.cloud.stream.kafka.bindings.charge-in-0.consumer.";
    application.setDefaultProperties(Map.of(
        "spring.cloud.stream.kafka.binder.brokers", System.getenv("BOOTSTRAP"),
        input + "destination", "scs-orders",
        input + "group", "invoices",
        input + "consumer.maxAttempts", "2",
        input + "consumer.backOffInitialInterval", "100",
        kafkaInput + "enableDlq", "true",
        kafkaInput + "startOffset", "earliest",
        "logging.level.root", "ERROR",
        "spring.main.banner-mode", "off"));
    application.run(arguments);
  }
}
