package brokers;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageBuilder;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.core.QueueBuilder;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.RetryInterceptorBuilder;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.rabbit.retry.RepublishMessageRecoverer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Listeners of Spring AMQP that always fail: their messages are republished with the exception, or rejected. */
@Configuration @EnableRabbit
public class FailingQueues {
  private static final String DEAD = "spring-dead";

  @Bean CachingConnectionFactory connections() {
    return new CachingConnectionFactory("127.0.0.1", Integer.parseInt(System.getenv("AMQP_PORT")));
  }

  @Bean RabbitTemplate template(ConnectionFactory connections) { return new RabbitTemplate(connections); }
  @Bean RabbitAdmin admin(ConnectionFactory connections) { return new RabbitAdmin(connections); }
  @Bean Queue dead() { return new Queue(DEAD); }
  @Bean Queue republished() { return new Queue("spring-republished"); }

  @Bean Queue rejected() {
    return QueueBuilder.durable("spring-rejected").deadLetterExchange("").deadLetterRoutingKey(DEAD).build();
  }

  @Bean SimpleRabbitListenerContainerFactory republishing(ConnectionFactory connections, RabbitTemplate template) {
    var factory = new SimpleRabbitListenerContainerFactory();
    factory.setConnectionFactory(connections);
    factory.setAdviceChain(RetryInterceptorBuilder.stateless().maxAttempts(3).backOffOptions(100, 1, 100)
        .recoverer(new RepublishMessageRecoverer(template, "", DEAD)).build());
    return factory;
  }

  @Bean SimpleRabbitListenerContainerFactory rejecting(ConnectionFactory connections) {
    var factory = new SimpleRabbitListenerContainerFactory();
    factory.setConnectionFactory(connections);
    factory.setDefaultRequeueRejected(false);
    return factory;
  }

  @Bean Listeners listeners() { return new Listeners(); }

  public static class Listeners {
    @RabbitListener(queues = "spring-republished", containerFactory = "republishing")
    public void charge(Message message) {
      throw new IllegalStateException("payments answered 503: größer", new ConnectException("refused"));
    }

    @RabbitListener(queues = "spring-rejected", containerFactory = "rejecting")
    public void ship(Message message) { throw new IllegalArgumentException("no such customer"); }
  }

  public static void main(String[] arguments) throws IOException {
    var template = new AnnotationConfigApplicationContext(FailingQueues.class).getBean(RabbitTemplate.class);
    var replays = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("REPLAY_PORT"))), 0);
    replays.createContext("/", exchange -> putBack(template, exchange));
    replays.start();
    template.convertAndSend("", "spring-republished", "{\"orderId\": 1, \"note\": \"größer\"}", message -> {
      message.getMessageProperties().setHeader("tenant", "acme");
      message.getMessageProperties().setHeader("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
      return message;
    });
    template.convertAndSend("", "spring-republished", new byte[] {0, (byte) 0xff, 1});
    template.convertAndSend("", "spring-rejected", "", message -> {
      message.getMessageProperties().setMessageId("s-2");
      return message;
    });
  }

  /** Writes a replayed message into the queue that failed. */
  private static void putBack(RabbitTemplate template, HttpExchange exchange) throws IOException {
    var message = MessageBuilder.withBody(exchange.getRequestBody().readAllBytes());
    exchange.getRequestHeaders().forEach((name, values) -> {
      if (name.equalsIgnoreCase("content-type")) message.setContentType(values.get(0));
      else if (!name.matches("(?i)host|connection|content-length|accept.*|user-agent|transfer-encoding"))
        message.setHeader(name.toLowerCase(), values.get(0));
    });
    template.send("", exchange.getRequestURI().getPath().substring(1), message.build());
    exchange.sendResponseHeaders(200, -1);
  }
}
